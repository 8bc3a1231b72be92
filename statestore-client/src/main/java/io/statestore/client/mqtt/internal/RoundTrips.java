package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Latest round trip of a connection, and the clock offset of its store at the latest
 * confirmed SET. Thread-safe.
 */
final class RoundTrips {

	private final LongSupplier clock;

	private final LongSupplier wallClock;

	private volatile @Nullable Arrival latest;

	private volatile @Nullable Duration clockOffset;

	/**
	 * Creates a recorder without round trips.
	 * @param clock monotonic clock in nanoseconds
	 * @param wallClock milliseconds since 1970
	 */
	RoundTrips(LongSupplier clock, LongSupplier wallClock) {
		this.clock = clock;
		this.wallClock = wallClock;
	}

	/**
	 * Records the arrival of a reply.
	 * @param sentAt time of the request, in nanoseconds
	 */
	Arrival replied(long sentAt) {
		long now = this.clock.getAsLong();
		Arrival arrival = new Arrival(now, now - sentAt, this.wallClock.getAsLong());
		this.latest = arrival;
		return arrival;
	}

	/**
	 * Reads the clock of the store from a reply. Only the version in the reply to a
	 * confirmed SET is a current reading; other versions are those of earlier writes.
	 */
	void read(Class<? extends Command> type, Response response, Arrival arrival) {
		if (type == Command.Set.class && response.reply() instanceof Reply.Ok && response.version() != null) {
			long stored = arrival.wallMillis - Duration.ofNanos(arrival.nanos / 2).toMillis();
			this.clockOffset = Duration.ofMillis(response.version().wallMillis() - stored);
		}
	}

	Optional<RoundTrip> latest() {
		Arrival arrival = this.latest;
		return (arrival != null)
				? Optional.of(new RoundTrip(Duration.ofNanos(Math.max(0, this.clock.getAsLong() - arrival.at)),
						Duration.ofNanos(arrival.nanos)))
				: Optional.empty();
	}

	Optional<Duration> clockOffset() {
		return Optional.ofNullable(this.clockOffset);
	}

	/**
	 * Arrival of a reply.
	 *
	 * @param at time of the arrival, in nanoseconds
	 * @param nanos duration of the round trip
	 * @param wallMillis wall clock time of the arrival
	 */
	record Arrival(long at, long nanos, long wallMillis) {
	}

}
