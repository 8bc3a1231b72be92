package io.statestore.broker.certificates;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The content of a certificate to issue.
 * <p>
 * Internal: not part of the API.
 *
 * @param name the subject's common name
 * @param usage purpose of the certificate
 * @param hosts host names and addresses, for {@link Usage#SERVER} and {@link Usage#NODE}
 * @param notBefore start of the validity period
 * @param notAfter end of the validity period
 */
public record CertificateRequest(String name, Usage usage, List<String> hosts, Instant notBefore, Instant notAfter) {

	/** Tolerance for clocks that are behind. */
	private static final Duration CLOCK_TOLERANCE = Duration.ofDays(1);

	public CertificateRequest {
		hosts = List.copyOf(hosts);
	}

	/**
	 * Returns a request for a server certificate.
	 * @param hosts host names and addresses, at least one
	 * @param validity time until the certificate expires
	 * @return a new request
	 */
	public static CertificateRequest server(List<String> hosts, Duration validity) {
		return of(hosts.get(0), Usage.SERVER, hosts, validity);
	}

	/**
	 * Returns a request for the certificate of a cluster node, which is both a server for
	 * other nodes and a client of them.
	 * @param hosts host names and addresses, at least one
	 * @param validity time until the certificate expires
	 * @return a new request
	 */
	public static CertificateRequest node(List<String> hosts, Duration validity) {
		return of(hosts.get(0), Usage.NODE, hosts, validity);
	}

	/**
	 * Returns a request for a client certificate.
	 * @param name name of the client
	 * @param validity time until the certificate expires
	 * @return a new request
	 */
	public static CertificateRequest client(String name, Duration validity) {
		return of(name, Usage.CLIENT, List.of(), validity);
	}

	static CertificateRequest authority(String name, Duration validity) {
		return of(name, Usage.AUTHORITY, List.of(), validity);
	}

	private static CertificateRequest of(String name, Usage usage, List<String> hosts, Duration validity) {
		Instant now = Instant.now();
		return new CertificateRequest(name, usage, hosts, now.minus(CLOCK_TOLERANCE), now.plus(validity));
	}

	/** The purpose of a certificate. */
	public enum Usage {

		/** Issues other certificates. */
		AUTHORITY(),

		/** Authenticates a server. */
		SERVER(Extensions.SERVER_AUTH),

		/** Authenticates a client. */
		CLIENT(Extensions.CLIENT_AUTH),

		/**
		 * Authenticates a cluster node, both as a server and as a client of other nodes.
		 */
		NODE(Extensions.SERVER_AUTH, Extensions.CLIENT_AUTH);

		private final List<String> purposes;

		Usage(String... purposes) {
			this.purposes = List.of(purposes);
		}

		/** Returns the extended key usage identifiers. */
		List<String> purposes() {
			return this.purposes;
		}

	}

}
