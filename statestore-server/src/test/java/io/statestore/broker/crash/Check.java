package io.statestore.broker.crash;

/** Properties of a run whose violations are reported. */
public enum Check {

	LOST_WRITES("Acknowledged writes lost"),

	REPEATED_VERSIONS("Versions repeated or out of order"),

	LINEARIZABILITY("Keys whose history is not linearizable"),

	EARLY_EXPIRY("Leases and expiries that ended early"),

	EXECUTED_TWICE("Requests executed twice"),

	COUNTERS("Counters with lost or repeated increments"),

	REJECTED_WRITES("Rejected writes that took effect"),

	MISSED_NOTIFICATIONS("Notifications missed on a connection"),

	LOST_SESSIONS("MQTT sessions lost");

	private final String description;

	Check(String description) {
		this.description = description;
	}

	@Override
	public String toString() {
		return this.description;
	}

}
