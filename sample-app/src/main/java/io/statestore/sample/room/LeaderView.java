package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The leader and its lease.
 *
 * @param name its name, {@code null} if there is none
 * @param token its fencing token in short form
 * @param fullToken its fencing token
 * @param lease duration of the lease in milliseconds
 * @param remaining remaining time of the lease in milliseconds, when this was rendered
 * @param seconds the remaining time in seconds
 * @param takeover duration of the last takeover in milliseconds, or a dash
 */
record LeaderView(@Nullable String name, String token, String fullToken, long lease, long remaining, String seconds,
		String takeover) {

	static LeaderView of(Leadership leadership, Instant now) {
		long lease = leadership.lease().toMillis();
		Instant renewed = leadership.renewed();
		long remaining = (leadership.leader() != null && renewed != null)
				? Math.max(0, Math.min(lease, lease - Duration.between(renewed, now).toMillis())) : 0;
		String leader = leadership.leader();
		String token = leadership.token();
		Duration takeover = leadership.takeover();
		return new LeaderView((leader != null) ? ReadableText.key(leader) : null,
				(token != null) ? ReadableText.version(token) : "–", (token != null) ? ReadableText.key(token) : "",
				lease, remaining, Chart.number(remaining / 1000.0),
				(takeover != null) ? String.format(Locale.ROOT, "%,d", takeover.toMillis()) : "–");
	}

}
