package com.example;

import io.millrace.api.serialization.Serializer;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Serialises the fields of a {@link Parcel} that can be sent. */
public final class ParcelSerializer implements Serializer<Parcel> {
  private static final long serialVersionUID = 1L;

  @Override
  public void write(Parcel parcel, DataOutput out) throws IOException {
    out.writeUTF(parcel.address());
    out.writeBoolean(parcel.isHandled());
  }

  @Override
  public Parcel read(DataInput in) throws IOException {
    String address = in.readUTF();
    return new Parcel(address, in.readBoolean() ? Thread.currentThread() : null, null);
  }
}
