package io.statestore.broker.security;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A client's credentials in its CONNECT or in an AUTH packet for re-authentication. The
 * arrays are not copied and must not be modified.
 *
 * @param clientId the MQTT client id
 * @param userName the user name, {@code null} if absent
 * @param password the password, {@code null} if absent
 * @param method the MQTT 5 Authentication Method, such as {@code K8S-SAT}, {@code null}
 * if absent
 * @param data the MQTT 5 Authentication Data, {@code null} if absent
 * @param certificates the TLS connection's verified certificate chain, starting with the
 * client's certificate; empty if there is none
 * @param address the client's address
 */
@SuppressWarnings("ArrayRecordComponent")
public record Credentials(String clientId, @Nullable String userName, byte @Nullable [] password,
		@Nullable String method, byte @Nullable [] data, List<X509Certificate> certificates, InetAddress address) {

	public Credentials {
		certificates = List.copyOf(certificates);
	}

	/** Omits the password and the authentication data. */
	@Override
	public String toString() {
		return "Credentials[clientId=" + this.clientId + ", userName=" + this.userName + ", method=" + this.method
				+ ", certificates=" + this.certificates.size() + ", address=" + this.address.getHostAddress() + ']';
	}

}
