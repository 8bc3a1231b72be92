package io.statestore.broker.security;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Credentials of a client in its CONNECT, or in an AUTH packet with which it
 * authenticates again. The arrays are not copied and must not be modified.
 *
 * @param clientId the MQTT client id
 * @param userName the user name, {@code null} if absent
 * @param password the password, {@code null} if absent
 * @param method the authentication method of MQTT 5, such as {@code K8S-SAT},
 * {@code null} if absent
 * @param data the authentication data of MQTT 5, {@code null} if absent
 * @param certificates the verified certificate chain of the TLS connection, its own
 * certificate first; empty without one
 * @param address the address of the client
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
