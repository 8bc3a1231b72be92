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
	private final Map<String, Trouble> troubles = new HashMap<>();

	private Rejected rejected = Rejected.NONE;

	private boolean known;

	void trouble(Trouble trouble) {
		this.troubles.put(trouble.press(), trouble);
	}

	/** Forgets the trouble of a press that has survived it, or that leads again. */
	void renewed(String press, Version renewal) {
		this.troubles.computeIfPresent(press, (name, trouble) -> trouble.isSurvivedBy(renewal) ? null : trouble);
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
		this.rejected = new Rejected(count, write, (write != null) ? explanation(count, write) : null);
		return (count > before && !(first && initial)) ? this.rejected.explanation() : null;
	}

	private static Rejected.Write write(JsonNode rejection) {
		return new Rejected.Write(ReadableText.key(rejection.path("press").asString("")),
				number(rejection.path("token")),
				ReadableText.key(rejection.path("newerPress").asString("another press")),
				number(rejection.path("newerToken")), LineKeys.instant(rejection.path("at")));
	}

	/** The sentence stays the same when the key is read again. */
	private @Nullable String explanation(long count, Rejected.Write write) {
		boolean same = count == this.rejected.count() && write.equals(this.rejected.latest());
		return same ? this.rejected.explanation() : explain(write);
	}

	private String explain(Rejected.Write write) {
		return "The store refused the batch of %s: its fencing token (%s) is older than that of %s (%s). %s %s."
			.formatted(write.press(), write.token(), write.newerPress(), write.newerToken(), write.press(),
					reason(this.troubles.get(write.press())));
	}

	/** Only a process that was paused does not know that its lease has ended. */
	private static String reason(@Nullable Trouble trouble) {
		if (trouble == null) {
			return "had lost its lock before the batch was complete";
		}
		return trouble.what() + (PAUSED.equals(trouble.what()) ? ", and did not know that it had lost its lock"
				: " before the batch was complete");
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
