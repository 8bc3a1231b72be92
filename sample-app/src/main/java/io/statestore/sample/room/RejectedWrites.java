package io.statestore.sample.room;

import java.util.HashMap;
import java.util.Map;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The stale writes that the store has refused. Not thread-safe. */
final class RejectedWrites {

	/** What has happened to a press that was stopped with SIGSTOP. */
	static final String PAUSED = "was paused";

	/** What has happened to each press last. */
	private final Map<String, String> troubles = new HashMap<>();

	private Rejected rejected = Rejected.NONE;

	private boolean known;

	void trouble(String press, String cause) {
		this.troubles.put(press, cause);
	}

	void forget(String press) {
		this.troubles.remove(press);
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
		Rejected.Write write = (count > 0) ? write(rejection) : null;
		this.rejected = new Rejected(count, write, (write != null) ? explain(write) : null);
		return (count > before && !(first && initial)) ? this.rejected.explanation() : null;
	}

	private static Rejected.Write write(JsonNode rejection) {
		return new Rejected.Write(rejection.path("press").asString(""), number(rejection.path("token")),
				rejection.path("newerPress").asString("another press"), number(rejection.path("newerToken")),
				LineKeys.instant(rejection.path("at")));
	}

	private String explain(Rejected.Write write) {
		return "The store refused the batch of %s: its fencing token (%s) is older than that of %s (%s). %s %s."
			.formatted(write.press(), write.token(), write.newerPress(), write.newerToken(), write.press(),
					reason(this.troubles.get(write.press())));
	}

	/** Only a process that was paused does not know that its lease has ended. */
	private static String reason(@Nullable String trouble) {
		if (PAUSED.equals(trouble)) {
			return PAUSED + ", and did not know that it had lost its lock";
		}
		return ((trouble != null) ? trouble : "had lost its lock") + " before the batch was complete";
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
