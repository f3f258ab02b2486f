package com.example;

/** Throws in main if it has no arguments. */
public final class Throws {
  private Throws() {}

  public static void main(String[] args) {
    if (args.length == 0) {
      throw new IllegalArgumentException("the river is dry");
    }
  }
}
