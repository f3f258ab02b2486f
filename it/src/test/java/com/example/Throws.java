package com.example;

/** Throws in main, before there is a job. */
public final class Throws {
  private Throws() {}

  public static void main(String[] args) {
    throw new IllegalArgumentException("the river is dry");
  }
}
