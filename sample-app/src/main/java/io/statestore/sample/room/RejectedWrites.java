package io.statestore.sample.room;

import java.util.HashMap;
import java.util.Map;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The stale writes that the store has refused. Not thread-safe. */
final class RejectedWrites {

	/** What has happened to each press last. */
	private final Map<String, String> troubles = new HashMap<>();

	private Rejected rejected = new Rejected(0, null);

	private boolean known;

	void trouble(String press, String cause) {
		this.troubles.put(press, cause);
	}

	/**
	 * Stores the count and explains the latest write.
	 * @param rejection content of the key
	 * @param initial whether it may be older than this control room
	 * @return the sentence about a new rejection, {@code null} if there is none
	 */
	@Nullable String changed(JsonNode rejection, boolean initial) {
		boolean first = !this.known;
		this.known = true;
		long before = this.rejected.count();
		long count = rejection.path("count").asLong(0);
		this.rejected = new Rejected(count, (count > 0) ? explain(rejection) : null);
		return (count > before && !(first && initial)) ? this.rejected.explanation() : null;
	}

	private String explain(JsonNode rejection) {
		String press = rejection.path("press").asString("");
		String cause = this.troubles.getOrDefault(press, "had lost the connection or was paused");
		return "The store refused the batch of %s: its fencing token (%s) is older than that of %s (%s). ".formatted(
				press, number(rejection.path("token")), rejection.path("newerPress").asString("another press"),
				number(rejection.path("newerToken")))
				+ "%s %s, and did not know that it had lost its lock.".formatted(press, cause);
	}

	/** Returns a token without the name of the store. */
	private static String number(JsonNode token) {
		Version version = LineKeys.version(token);
		return (version != null) ? version.wallMillis() + ":" + version.counter() : "unknown";
	}

	Rejected rejected() {
		return this.rejected;
	}

}
