use std::io::{Read, Write};
use std::net::TcpListener;

fn main() -> std::io::Result<()> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "8080".to_string());
    let listener = TcpListener::bind(format!("0.0.0.0:{port}"))?;
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut request = [0; 1024];
        let _ = stream.read(&mut request)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 16\r\nconnection: close\r\n\r\nHello from Rust\n")?;
    }
    Ok(())
}
