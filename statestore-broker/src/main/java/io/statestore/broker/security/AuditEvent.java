package io.statestore.broker.security;

import org.slf4j.event.Level;

/**
 * The kinds of events in the {@link AuditLog}.
 * <p>
 * Internal: not part of the API.
 */
public enum AuditEvent {

	/** An administrator backed up the store. */
	BACKUP("backup", Level.INFO),

	/** An administrator changed the members or the leader of a cluster. */
	CLUSTER_CHANGE("cluster-change", Level.INFO),

	/** A request, message, subscription, or will was denied. */
	DENIED("denied", Level.WARN),

	/** A client logged in. */
	LOGIN("login", Level.INFO),

	/** Credentials were wrong, or missing where they are required. */
	LOGIN_FAILED("login-failed", Level.WARN),

	/** Changed rules took effect. */
	RULES_CHANGED("rules-changed", Level.INFO),

	/** Changed rules are invalid, so the earlier rules remain in force. */
	RULES_INVALID("rules-invalid", Level.WARN),

	/** An administrator ended a client's session. */
	SESSION_END("session-end", Level.INFO);

	private final String text;

	private final Level level;

	AuditEvent(String text, Level level) {
		this.text = text;
		this.level = level;
	}

	Level level() {
		return this.level;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
