package com.example;

/** Has no main. */
public final class WithoutMain {
  private WithoutMain() {}
}
