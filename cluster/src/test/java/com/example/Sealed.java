package com.example;

/** A record of a program that cannot be sent, whatever is in it. */
public record Sealed(Thread by) {}
