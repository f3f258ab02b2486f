package com.example;

/** A record of a program whose field type cannot be serialised, also if the field is null. */
public record Sealed(Thread by) {}
