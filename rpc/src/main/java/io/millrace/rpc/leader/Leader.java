package io.millrace.rpc.leader;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import java.util.Objects;

/** The leader of a component and the token that calls to it must carry. */
public record Leader(Address address, LeaderToken token) {
  public Leader {
    Objects.requireNonNull(address);
    Objects.requireNonNull(token);
  }
}
