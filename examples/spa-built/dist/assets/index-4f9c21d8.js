document.getElementById('root').textContent = `This is ${location.pathname}`;
