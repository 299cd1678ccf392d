const express = require('express');

express().listen(process.env.PORT);
