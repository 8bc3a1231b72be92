package io.statestore.sample.room;

import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Stale writes that the store has refused, with details of the latest write.
 *
 * @param count number of refused writes
 * @param press press that attempted the latest write
 * @param token that press's fencing token, without the store's name
 * @param newerPress press with the newer token
 * @param newerToken the newer token, without the store's name
 * @param reason why the token was old
 */
record Rejected(long count, String press, String token, String newerPress, String newerToken, String reason) {

	static final Rejected NONE = new Rejected(0, "", "", "", "", "");

	static Rejected of(JsonNode rejection, String reason) {
		return new Rejected(rejection.path("count").asLong(0), Texts.name(rejection.path("press").asString("")),
				Texts.shortVersion(version(rejection.path("token"))),
				Texts.name(rejection.path("newerPress").asString("another press")),
				Texts.shortVersion(version(rejection.path("newerToken"))), reason);
	}

	/**
	 * Parses a version in a JSON value. Returns {@code null} if it is absent or
	 * malformed.
	 */
	static @Nullable Version version(JsonNode value) {
		try {
			return Version.parse(value.asString(""));
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	/** Returns a sentence that explains the latest refusal. */
	public String explanation() {
		return "The store refused the batch of %s: its fencing token (%s) is older than that of %s (%s). %s %s."
			.formatted(this.press, this.token, this.newerPress, this.newerToken, this.press, this.reason);
	}

}
