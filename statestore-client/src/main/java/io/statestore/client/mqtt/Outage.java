package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The time without a connection: its cause, its length and the attempts to connect. Logs
 * one warning at its start, at most one per {@link #WARNING_INTERVAL} after that, and one
 * line at its end. Outages between short connections share their warnings. Only
 * {@link #problem()} may be called by any thread.
 */
final class Outage {

	/** Interval between warnings after the first one. */
	static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(Outage.class);

	private final ConnectionOptions options;

	private final LongSupplier clock;

	private long since;

	private long warnedAt;

	private boolean warned;

	private long connectedAt;

	/** Whether the connection was lost without a warning. */
	private boolean silent;

	private int attempts;

	private volatile String problem = ". The first attempt to connect is under way.";

	/**
	 * @param clock nanoseconds of a clock that never goes back
	 */
	Outage(ConnectionOptions options, LongSupplier clock) {
		this.options = options;
		this.clock = clock;
		begin();
	}

	/** Starts over, because the search for a first connection begins. */
	void begin() {
		this.since = this.clock.getAsLong();
		this.warned = false;
		this.silent = false;
		this.attempts = 0;
	}

	/** Starts over, because the application replaces or ends the connection. */
	void beginOnRequest() {
		begin();
		this.problem = ". It is being replaced.";
	}

	/** Starts over, because the connection was lost. */
	void beginAfterLoss(String cause, Duration delay) {
		boolean recentlyWarned = this.warned && this.clock.getAsLong() - this.connectedAt <= WARNING_INTERVAL.toNanos();
		begin();
		this.warned = recentlyWarned;
		ConnectionDiagnosis taken = ConnectionDiagnosis.CLIENT_ID_IN_USE;
		this.problem = Failures.isTakenOver(cause)
				? " (" + taken.cause() + ", '" + this.options.clientId() + "'). " + taken.nextStep()
				: " (" + cause + "). The client keeps connecting.";
		this.silent = !isWarningDue();
		logger.atLevel(this.silent ? Level.DEBUG : Level.WARN)
			.log("Lost connection to {}{} Next attempt in {} s", this.options.url(), this.problem, seconds(delay));
	}

	/** Counts an attempt to connect. */
	void attempt() {
		this.attempts++;
	}

	/** Logs a failed attempt, as a warning if one is due. */
	void attemptFailed(Throwable failure, Duration delay) {
		this.problem = " (" + Failures.describe(failure) + "). " + Failures.nextStep(failure);
		logger.debug("Could not connect to {}, attempt {}; next in {} s", this.options.url(), this.attempts,
				seconds(delay), failure);
		if (isWarningDue()) {
			this.silent = false;
			logger.warn("No connection to {} as client '{}' for {} s, {}{} The client keeps connecting",
					this.options.url(), this.options.clientId(), seconds(duration()), attempts(), this.problem);
		}
	}

	/** Logs the end. */
	void end(boolean reconnect) {
		this.connectedAt = this.clock.getAsLong();
		if (reconnect) {
			logger.atLevel(this.silent ? Level.DEBUG : Level.INFO)
				.log("Reconnected to {} after {} s, {}", this.options.url(), seconds(duration()), attempts());
		}
		else {
			logger.info("Connected to {} as client {} after {} s, {}", this.options.url(), this.options.clientId(),
					seconds(duration()), attempts());
		}
	}

	/** Returns why there is no connection and what to do, as the end of a sentence. */
	String problem() {
		return this.problem;
	}

	private Duration duration() {
		return Duration.ofNanos(this.clock.getAsLong() - this.since);
	}

	private String attempts() {
		return (this.attempts == 1) ? "1 attempt" : this.attempts + " attempts";
	}

	private boolean isWarningDue() {
		long now = this.clock.getAsLong();
		if (this.warned && now - this.warnedAt < WARNING_INTERVAL.toNanos()) {
			return false;
		}
		this.warned = true;
		this.warnedAt = now;
		return true;
	}

	private static String seconds(Duration duration) {
		return String.format(Locale.ROOT, "%.1f", duration.toNanos() / 1e9);
	}

}
