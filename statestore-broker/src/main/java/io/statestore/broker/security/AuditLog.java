package io.statestore.broker.security;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Log of events that are relevant to a broker's security. Each event is one structured
 * line, such as
 * {@code event=denied principal="ada" client="press-1" action=write key="a"}. Lines never
 * contain values or secrets.
 * <p>
 * Clients can cause events arbitrarily often. Per {@link #INTERVAL}, the log has at most
 * {@value #MAX_LINES_OF_PRINCIPAL} lines for the same event and principal, and at most
 * {@value #MAX_LINES} lines for the same event. Clients that have not proved their
 * identity can claim any name, so the log has at most {@value #MAX_LINES_OF_ADDRESS}
 * lines about them for the same event and address. The number of omitted lines is logged
 * with the first event after the interval. Thread-safe. Never blocks.
 * <p>
 * Internal: not part of the API. The logger name is {@value #LOGGER}.
 */
public final class AuditLog {

	/** Name of the logger. */
	public static final String LOGGER = "io.statestore.audit";

	/** The period to which the limits apply. */
	static final Duration INTERVAL = Duration.ofSeconds(10);

	/** Maximum number of lines for the same event and principal per interval. */
	static final int MAX_LINES_OF_PRINCIPAL = 10;

	/**
	 * Maximum number of lines for the same event and address about clients that have not
	 * proved their identity, per interval.
	 */
	static final int MAX_LINES_OF_ADDRESS = 20;

	/** Maximum number of lines for the same event per interval. */
	static final int MAX_LINES = 200;

	private static final Logger logger = LoggerFactory.getLogger(LOGGER);

	private final LongSupplier nanoClock;

	/**
	 * Line counts in the current interval, by the beginning of the lines, which names
	 * their subject. Has at most twice {@link #MAX_LINES} entries per event.
	 */
	private final Map<String, LineCount> lines = new LinkedHashMap<>();

	/** Start of the current interval. */
	private long start;

	/** Number of events, by {@link AuditEvent} ordinal. */
	private final AtomicLongArray counts = new AtomicLongArray(AuditEvent.values().length);

	/**
	 * Creates a log. Each component of a broker has its own log, with separate limits.
	 */
	public AuditLog() {
		this(System::nanoTime);
	}

	AuditLog(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		this.start = nanoClock.getAsLong();
	}

	/**
	 * Returns the number of events, including those whose lines were omitted.
	 * @param event the kind of event
	 * @return the number since this log was created
	 */
	public long count(AuditEvent event) {
		return this.counts.get(event.ordinal());
	}

	/**
	 * Begins a line about a client.
	 * @param event the kind of event
	 * @param principal the client's identity
	 * @return a line with event and principal
	 */
	public AuditLine line(AuditEvent event, ClientPrincipal principal) {
		return line(event, AuditLine.name("principal", principal.name()), "");
	}

	/**
	 * Begins a line about a client that has not proved its identity.
	 * @param event the kind of event
	 * @param user the name that the client claims, empty for none
	 * @param address the client's address
	 * @return a line with event and name
	 */
	public AuditLine claimed(AuditEvent event, String user, InetAddress address) {
		return line(event, AuditLine.name("user", user), " address=" + AddressGroup.of(address));
	}

	/**
	 * Begins a line that is not about a client.
	 * @param event the kind of event
	 * @return a line with the event
	 */
	public AuditLine line(AuditEvent event) {
		return line(event, "", "");
	}

	/**
	 * Begins a line.
	 * @param address address whose lines are also limited, empty for none
	 */
	private AuditLine line(AuditEvent event, String subject, String address) {
		this.counts.incrementAndGet(event.ordinal());
		if (!logger.isEnabledForLevel(event.level())) {
			return AuditLine.OMITTED;
		}
		String text = "event=" + event;
		// The address limit comes first, because clients can invent any number of names.
		Map<String, Integer> limits = new LinkedHashMap<>();
		if (!address.isEmpty()) {
			limits.put(text + address, MAX_LINES_OF_ADDRESS);
		}
		limits.put(text + subject, MAX_LINES_OF_PRINCIPAL);
		// Without a subject, the lower limit is already set for this key and applies.
		limits.putIfAbsent(text, MAX_LINES);
		List<AuditLine> omissions = new ArrayList<>(0);
		boolean enters = enter(limits, event.level(), omissions);
		omissions.forEach(AuditLine::log);
		return enters ? new AuditLine(logger, event.level(), text + subject) : AuditLine.OMITTED;
	}

	/**
	 * Counts a line and returns whether it is within all limits. Adds lines about
	 * omissions if an interval has ended.
	 */
	private synchronized boolean enter(Map<String, Integer> limits, Level level, List<AuditLine> omissions) {
		long now = this.nanoClock.getAsLong();
		if (now - this.start >= INTERVAL.toNanos()) {
			this.lines.forEach((text, known) -> {
				if (known.omitted > 0) {
					omissions.add(new AuditLine(logger, known.level, text).word("omitted", known.omitted));
				}
			});
			this.lines.clear();
			this.start = now;
		}
		for (Map.Entry<String, Integer> limit : limits.entrySet()) {
			LineCount known = this.lines.get(limit.getKey());
			if (known != null && known.count == limit.getValue()) {
				known.omitted++;
				return false;
			}
		}
		limits.keySet().forEach((text) -> this.lines.computeIfAbsent(text, (absent) -> new LineCount(level)).count++);
		return true;
	}

	private static final class LineCount {

		private final Level level;

		private int count;

		private long omitted;

		LineCount(Level level) {
			this.level = level;
		}

	}

}
