package com.example;

public record Money(long cents) {}
