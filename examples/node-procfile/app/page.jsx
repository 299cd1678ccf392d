export default function Page() {
  return <p>Hello from Next.js</p>;
}
