package io.statestore.broker.engine;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * The client that sent a request. Two principals' clients differ even if they use the
 * same client id at different times.
 * <p>
 * Comparable so that a {@link java.util.HashMap} stays fast even if clients choose ids
 * with equal hash values.
 *
 * @param principal the name of the client's authenticated principal, or {@code null} if
 * the client is anonymous
 * @param clientId the MQTT client id
 */
public record Requester(@Nullable String principal, String clientId) implements Comparable<Requester> {

	private static final Comparator<Requester> ORDER = Comparator
		.comparing(Requester::principal, Comparator.nullsFirst(Comparator.<String>naturalOrder()))
		.thenComparing(Requester::clientId);

	/**
	 * Creates a requester.
	 * @throws IllegalArgumentException if the principal name is empty
	 */
	public Requester {
		if (principal != null && principal.isEmpty()) {
			throw new IllegalArgumentException("'principal' must not be empty");
		}
	}

	/**
	 * Returns a requester for a client that has not logged in.
	 * @param clientId the MQTT client id
	 * @return a requester without a principal
	 */
	public static Requester anonymous(String clientId) {
		return new Requester(null, clientId);
	}

	@Override
	public int compareTo(Requester other) {
		return ORDER.compare(this, other);
	}

	/**
	 * Returns the combined length of client id and principal, as a memory estimate.
	 * @return the number of characters
	 */
	public int length() {
		return this.clientId.length() + ((this.principal != null) ? this.principal.length() : 0);
	}

}
