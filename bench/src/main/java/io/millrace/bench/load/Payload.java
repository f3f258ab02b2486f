package io.millrace.bench.load;

/** A record of 100 bytes: two numbers and a body. */
public class Payload {
  private static final int BODY_BYTES = 84;
  private static final int BODIES = 1024;

  public long key;
  public long value;
  public byte[] body;

  public Payload() {}

  public Payload(long key, long value, byte[] body) {
    this.key = key;
    this.value = value;
    this.body = body;
  }

  /** Precomputed bodies, so that their creation is not measured. */
  public static byte[][] bodies() {
    Gen gen = new Gen(0, 1);
    byte[][] bodies = new byte[BODIES][BODY_BYTES];
    for (byte[] body : bodies) {
      for (int i = 0; i < body.length; i++) {
        gen.advance();
        body[i] = (byte) gen.value();
      }
    }
    return bodies;
  }

  /** The body of the generator's current record. */
  public static byte[] bodyOf(Gen gen, byte[][] bodies) {
    return bodies[gen.index(BODIES)];
  }
}
