package io.millrace.ha.zookeeper;

import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.concurrent.Callable;
import org.apache.zookeeper.KeeperException;

/** Turns errors of ZooKeeper into one sentence with the cause and the remedy. */
final class ZooKeeperErrors {
  private ZooKeeperErrors() {}

  /**
   * @param what the operation, as the object of "cannot"
   */
  static <T> T call(String what, Callable<T> operation) {
    try {
      return operation.call();
    } catch (MillraceException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.EXTERNAL, "Interrupted; cannot " + what + ".", e);
    } catch (Exception e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "Cannot " + what + " in ZooKeeper: " + reason(e), e);
    }
  }

  private static String reason(Exception e) {
    if (!(e instanceof KeeperException refused)) {
      return e.toString();
    }
    return switch (refused.code()) {
      case NOAUTH ->
          "this process has no permission for "
              + refused.getPath()
              + ". Change the ACL of the node, or choose another root with "
              + ZooKeeperOptions.ROOT.key()
              + ".";
      case INVALIDACL ->
          "this process is not authenticated, as "
              + ZooKeeperOptions.ACL.key()
              + ": creator requires. Use open, or log in with "
              + SecurityOptions.KERBEROS_CONTEXTS.key()
              + " or "
              + ZooKeeperOptions.AUTHORIZATION.key()
              + ".";
      case AUTHFAILED ->
          "the servers refuse the credentials of this process. Check "
              + SecurityOptions.KERBEROS_PRINCIPAL.key()
              + " or "
              + ZooKeeperOptions.AUTHORIZATION.key()
              + ".";
      case SESSIONCLOSEDREQUIRESASLAUTH ->
          "the servers require that clients authenticate. Log in with "
              + SecurityOptions.KERBEROS_KEYTAB.key()
              + " and "
              + SecurityOptions.KERBEROS_CONTEXTS.key()
              + ": Client.";
      case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED ->
          "the connection was lost ("
              + refused.code()
              + "). Check the servers in "
              + ZooKeeperOptions.QUORUM.key()
              + ".";
      default -> refused.getMessage() + ".";
    };
  }
}
