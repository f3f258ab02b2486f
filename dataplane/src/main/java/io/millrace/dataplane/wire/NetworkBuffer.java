package io.millrace.dataplane.wire;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/** A buffer of the pool as a Netty buffer; its last release recycles it. */
final class NetworkBuffer extends UnpooledDirectByteBuf {
  private final ByteBuffer memory;
  private final LocalBufferPool owner;

  NetworkBuffer(ByteBuffer memory, LocalBufferPool owner) {
    super(UnpooledByteBufAllocator.DEFAULT, memory, memory.capacity());
    this.memory = memory;
    this.owner = owner;
    clear();
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    owner.recycle(memory);
  }
}
