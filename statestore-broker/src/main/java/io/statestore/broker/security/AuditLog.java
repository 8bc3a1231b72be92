package io.statestore.broker.security;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of events that matter to the security of a broker, one structured line each, such
 * as {@code event=denied principal="ada" client="press-1" action=write key="a"}. Lines
 * contain neither values nor secrets.
 * <p>
 * Clients can cause events arbitrarily often. Each {@link #INTERVAL} has at most
 * {@value #MAX_LINES_OF_PRINCIPAL} lines of the same event and principal, and at most
 * {@value #MAX_LINES} lines of the same event. The number of omitted lines is logged with
 * the first event after the interval. Thread-safe, does not block.
 * <p>
 * Internal: not part of the API. The name of its logger is {@value #LOGGER}.
 */
public final class AuditLog {

	/** Name of the logger. */
	public static final String LOGGER = "io.statestore.audit";

	/** Period of the limits. */
	static final Duration INTERVAL = Duration.ofSeconds(10);

	/** Maximum number of lines of one event and principal in an interval. */
	static final int MAX_LINES_OF_PRINCIPAL = 10;

	/** Maximum number of lines of one event in an interval. */
	static final int MAX_LINES = 200;

	private static final Logger logger = LoggerFactory.getLogger(LOGGER);

	private final LongSupplier nanoClock;

	private final Map<AuditEvent, Period> periods = new EnumMap<>(AuditEvent.class);

	/** Creates a log. Each component of a broker has its own, with its own limits. */
	public AuditLog() {
		this(System::nanoTime);
	}

	AuditLog(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	/**
	 * Begins a line about a client.
	 * @param event the event
	 * @param principal the identity of the client
	 * @return a line with event and principal
	 */
	public AuditLine line(AuditEvent event, ClientPrincipal principal) {
		return line(event, "principal", principal.name());
	}

	/**
	 * Begins a line about a client that has not proved its identity.
	 * @param event the event
	 * @param user the name that it claims, empty for none
	 * @return a line with event and name
	 */
	public AuditLine claimed(AuditEvent event, String user) {
		return line(event, "user", user);
	}

	/**
	 * Begins a line that is not about a client.
	 * @param event the event
	 * @return a line with the event
	 */
	public AuditLine line(AuditEvent event) {
		return line(event, "", "");
	}

	private AuditLine line(AuditEvent event, String field, String name) {
		if (!logger.isEnabledForLevel(event.level())) {
			return AuditLine.OMITTED;
		}
		Subject subject = new Subject(field, name.substring(0, Math.min(name.length(), AuditLine.MAX_LENGTH)));
		List<AuditLine> omissions = new ArrayList<>(0);
		boolean enters = enter(event, subject, omissions);
		omissions.forEach(AuditLine::log);
		return enters ? subject.addTo(newLine(event)) : AuditLine.OMITTED;
	}

	private synchronized boolean enter(AuditEvent event, Subject subject, List<AuditLine> omissions) {
		long now = this.nanoClock.getAsLong();
		this.periods.entrySet().removeIf((period) -> {
			boolean ended = now - period.getValue().start >= INTERVAL.toNanos();
			if (ended) {
				period.getValue().addOmissions(period.getKey(), omissions);
			}
			return ended;
		});
		return this.periods.computeIfAbsent(event, (absent) -> new Period(now)).enter(subject);
	}

	private static AuditLine newLine(AuditEvent event) {
		return new AuditLine(logger, event.level()).word("event", event);
	}

	/**
	 * Whom a line is about.
	 *
	 * @param field name of the field, empty for none
	 * @param name the name, empty for an anonymous client
	 */
	private record Subject(String field, String name) {

		AuditLine addTo(AuditLine line) {
			if (this.field.isEmpty()) {
				return line;
			}
			return this.name.isEmpty() ? line.word(this.field, ClientPrincipal.ANONYMOUS)
					: line.text(this.field, this.name);
		}

	}

	/** The lines of one event in one interval. */
	private static final class Period {

		private final long start;

		/** Lines of each subject. Has at most {@link #MAX_LINES} entries. */
		private final Map<Subject, Lines> linesBySubject = new LinkedHashMap<>();

		private int lines;

		/** Number of omitted lines about further subjects. */
		private long omitted;

		Period(long start) {
			this.start = start;
		}

		boolean enter(Subject subject) {
			boolean full = this.lines == MAX_LINES;
			Lines own = this.linesBySubject.get(subject);
			if (own == null) {
				if (full) {
					this.omitted++;
					return false;
				}
				own = new Lines();
				this.linesBySubject.put(subject, own);
			}
			if (full || own.count == MAX_LINES_OF_PRINCIPAL) {
				own.omitted++;
				return false;
			}
			own.count++;
			this.lines++;
			return true;
		}

		void addOmissions(AuditEvent event, List<AuditLine> omissions) {
			this.linesBySubject.forEach((subject, own) -> {
				if (own.omitted > 0) {
					omissions.add(subject.addTo(newLine(event)).word("omitted", own.omitted));
				}
			});
			if (this.omitted > 0) {
				omissions.add(newLine(event).word("omitted", this.omitted));
			}
		}

	}

	private static final class Lines {

		private int count;

		private long omitted;

	}

}
