package io.millrace.rpc.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** One connection to a transport, on which the test sends every message itself. */
final class RawCaller implements AutoCloseable {
  /** The address that it claims. */
  static final String ADDRESS = "127.0.0.1:1";

  final Bytes nonce = SecretProof.nonce(new SecureRandom());

  /** All received headers and trailers. */
  final List<Metadata> received = new CopyOnWriteArrayList<>();

  private final String server;
  private final ManagedChannel channel;

  RawCaller(String server) {
    this.server = server;
    channel = NettyChannelBuilder.forTarget(server).usePlaintext().build();
  }

  /** The server's answer to a hello: its headers, or the trailers of its refusal. */
  Metadata hello(Metadata opening) throws Exception {
    ended(GrpcMethods.HELLO, opening, new byte[0]);
    return received.get(received.size() - 2);
  }

  Metadata hello() throws Exception {
    return hello(ConnectionHandshake.opening(ADDRESS, server, nonce));
  }

  /** Sends a hello with the right secret and returns the headers for the streams. */
  Metadata proof(Bytes secret) throws Exception {
    SecretProof.Meeting meeting =
        ConnectionHandshake.transcript(ADDRESS, server, nonce, ConnectionHandshake.nonce(hello()));
    return ConnectionHandshake.proof(SecretProof.of(secret, SecretProof.Side.CALLER, meeting));
  }

  /**
   * Opens a stream for calls with these headers, sends the frame and returns the status of the
   * stream.
   */
  Status call(Metadata headers, byte[] frame) throws Exception {
    return ended(GrpcMethods.CALLS, headers, frame);
  }

  Status ended(MethodDescriptor<byte[], byte[]> method, Metadata headers, byte[] frame)
      throws Exception {
    CompletableFuture<Status> ended = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onHeaders(Metadata answer) {
            received.add(answer);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            received.add(trailers);
            ended.complete(status);
          }
        },
        headers);
    call.request(1);
    call.sendMessage(frame);
    return ended.get(20, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
