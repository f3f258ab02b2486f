package com.example;

import java.util.Objects;

/** A record of a program. Its handler may be a thread, which cannot be serialised. */
public final class Parcel {
  private final String address;
  private final Object handler;
  private final transient Thread witness;

  public Parcel(String address, Thread handler, Thread witness) {
    this.address = address;
    this.handler = handler;
    this.witness = witness;
  }

  public String address() {
    return address;
  }

  public boolean isHandled() {
    return handler != null;
  }

  public boolean isWitnessed() {
    return witness != null;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Parcel that
        && that.address.equals(address)
        && that.isHandled() == isHandled();
  }

  @Override
  public int hashCode() {
    return Objects.hash(address, isHandled());
  }

  @Override
  public String toString() {
    return "Parcel to " + address;
  }
}
