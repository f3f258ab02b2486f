package io.millrace.fs.hadoop;

import io.millrace.core.security.KerberosLogin;
import io.millrace.core.security.KerberosLoginErrors;
import io.millrace.core.security.SecurityContext;
import io.millrace.core.security.SecurityModule;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Logs in Hadoop's client with a keytab. All users of the client in this process use the login. */
public final class HadoopSecurityModule implements SecurityModule {
  @Override
  public SecurityContext login(
      KerberosLogin login, io.millrace.core.config.Configuration configuration) throws IOException {
    return login(login, HadoopSettings.of(System.getenv(), configuration));
  }

  @Override
  public boolean isRequired(io.millrace.core.config.Configuration configuration) {
    return HadoopSettings.isSecure(HadoopSettings.of(System.getenv(), configuration));
  }

  static SecurityContext login(KerberosLogin login, Configuration configuration)
      throws IOException {
    if (!HadoopSettings.isSecure(configuration)) {
      throw new IOException(
          "The configuration of Hadoop does not require Kerberos: hadoop.security.authentication is "
              + configuration.get(HadoopSettings.AUTHENTICATION, "simple")
              + ". Set HADOOP_CONF_DIR to the configuration of the secure cluster");
    }
    try {
      UserGroupInformation.loginUserFromKeytab(login.principal(), login.keytab().toString());
      return new LoggedIn(UserGroupInformation.getLoginUser());
    } catch (IOException e) {
      throw KerberosLoginErrors.loginFailure(login, e);
    }
  }

  private record LoggedIn(UserGroupInformation user) implements SecurityContext {
    /** Nothing to do: the login is that of the process. */
    @Override
    public <T> T call(Callable<T> action) throws Exception {
      return action.call();
    }

    @Override
    public void close() throws IOException {
      user.logoutUserFromKeytab();
    }

    @Override
    public String description() {
      return user.getUserName() + " by Kerberos";
    }
  }
}
