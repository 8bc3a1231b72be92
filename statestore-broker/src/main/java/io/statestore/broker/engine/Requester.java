package io.statestore.broker.engine;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The client that sent a request. Clients of different principals are different, even if
 * they use the same client id one after the other.
 * <p>
 * Comparable, so that a {@link java.util.HashMap} stays fast if clients choose ids with
 * equal hash values.
 *
 * @param principal the name of the principal that the client has authenticated, or
 * {@code null} if it is anonymous
 * @param clientId the MQTT client id
 */
public record Requester(@Nullable String principal, String clientId) implements Comparable<Requester> {

	private static final Comparator<Requester> ORDER = Comparator
		.comparing(Requester::principal, Comparator.nullsFirst(Comparator.<String>naturalOrder()))
		.thenComparing(Requester::clientId);

	/**
	 * Creates a requester.
	 * @throws IllegalArgumentException if the name of the principal is empty
	 */
	public Requester {
		if (principal != null && principal.isEmpty()) {
			throw new IllegalArgumentException("'principal' must not be empty");
		}
	}

	/**
	 * Returns a client that has not logged in.
	 * @param clientId the MQTT client id
	 * @return the requester
	 */
	public static Requester anonymous(String clientId) {
		return new Requester(null, clientId);
	}

	@Override
	public int compareTo(Requester other) {
		return ORDER.compare(this, other);
	}

	/**
	 * Returns the length of client id and principal, an estimate of their memory.
	 * @return the number of characters
	 */
	public int length() {
		return this.clientId.length() + ((this.principal != null) ? this.principal.length() : 0);
	}

}
