import './style.css';

document.body.append(`Built in ${import.meta.env.MODE} mode`);
