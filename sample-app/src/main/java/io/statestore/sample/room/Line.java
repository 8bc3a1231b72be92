package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import io.statestore.sample.press.PressNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

import org.springframework.stereotype.Component;

/**
 * State of the line, derived from the store's keys, and the event log. Does not open
 * connections or start threads. Thread-safe.
 */
@Component
class Line {

	/** Name of the lock that elects the leader. */
	static final String LEADER = "line-leader";

	static final String BATCH = "line/batch";

	static final String REJECTED = "line/rejected";

	static final String SETPOINT = "line/setpoint";

	/** Describes what has happened to a press that was stopped with SIGSTOP. */
	static final String PAUSED = "was paused";

	/** Kind of event: a changed value or the effect of a button. */
	static final String CHANGE = "Change";

	/** Kind of event: a new leader. */
	static final String NEW_LEADER = "Leader";

	/** Kind of event: the store refused a stale write. */
	static final String REFUSAL = "Rejected";

	/** Kind of event: a press or the broker has become unavailable. */
	static final String FAILURE = "Failure";

	static final int MAX_TEMPERATURES = 60;

	private static final String READING = "line/press-";

	private static final int MAX_ENTRIES = 100;

	/** Limit, because any client can write any number of readings. */
	private static final int MAX_PRESSES = 50;

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

	private static final Logger logger = LoggerFactory.getLogger(Line.class);

	private final Map<String, Bytes> keys = new TreeMap<>();

	/** Latest temperatures by press, oldest first. */
	private final Map<String, Deque<Double>> temperatures = new HashMap<>();

	/** Latest trouble by press. */
	private final Map<String, Trouble> troubles = new HashMap<>();

	private final Deque<Event> log = new ArrayDeque<>();

	private final RoomProperties properties;

	private Leadership leadership = Leadership.NONE;

	private Rejected rejected = Rejected.NONE;

	private boolean available = true;

	private long changes;

	private long entries;

	Line(RoomProperties properties) {
		this.properties = properties;
	}

	/**
	 * Handles a change. Called for each change of each key; the changes of a key arrive
	 * in order.
	 */
	synchronized void changed(KeyChange<Bytes> change) {
		String key = change.key().bytes().toUtf8();
		Bytes value = change.value();
		Bytes before = (value != null) ? this.keys.put(key, value) : this.keys.remove(key);
		this.changes += (value != null || before != null) ? 1 : 0;
		switch (key) {
			case LEADER -> lockChanged(change);
			case BATCH -> batchChanged(json(value));
			case REJECTED -> rejectedChanged(json(value), before == null && change.resynchronized());
			case SETPOINT -> setpointChanged(json(value), change.resynchronized());
			default -> readingChanged(key, json(value), before == null);
		}
	}

	/**
	 * Waits up to two seconds until the leader has begun to pack a batch. A press that is
	 * paused between two batches would not write anything when it continues.
	 */
	synchronized void awaitPacking() {
		try {
			// Ends early if a batch has been stored.
			wait(2_000);
			wait(250);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void lockChanged(KeyChange<Bytes> change) {
		Bytes holder = change.value();
		Instant at = Instant.ofEpochMilli(change.version().wallMillis());
		if (holder == null || !LockNames.isLeader(holder)) {
			this.leadership = this.leadership.ended();
			return;
		}
		String leader = Texts.name(LockNames.holderName(holder).toUtf8());
		// A leader that has renewed its lock has survived the trouble.
		this.troubles.computeIfPresent(leader, (name, trouble) -> trouble.isSurvived(at) ? null : trouble);
		if (holder.equals(this.leadership.holder())) {
			this.leadership = this.leadership.renewed(at);
			return;
		}
		String former = this.leadership.former();
		Trouble cause = (former != null && !former.equals(leader)) ? this.troubles.get(former) : null;
		Duration takeover = this.leadership.takeover();
		String news = leader + " leads the line";
		if (cause != null) {
			takeover = Duration.between(cause.at(), at);
			news += String.format(Locale.ROOT, ", %,d ms after %s %s", takeover.toMillis(), former, cause.what());
		}
		// After a connection loss, this change may be a renewal, whose version is not the
		// token.
		Version token = change.resynchronized() ? null : change.version();
		this.leadership = new Leadership(holder, leader, leader, token, at, takeover);
		log(NEW_LEADER, news + '.');
	}

	private void batchChanged(JsonNode batch) {
		notifyAll();
		Version token = Rejected.version(batch.path("token"));
		Version known = this.leadership.token();
		if (token != null && batch.path("leader").asString("").equals(this.leadership.leader())
				&& (known == null || known.compareTo(token) < 0)) {
			this.leadership = this.leadership.withToken(token);
		}
	}

	private void rejectedChanged(JsonNode rejection, boolean initial) {
		long before = this.rejected.count();
		if (rejection.path("count").asLong(0) != before) {
			this.rejected = Rejected.of(rejection, reason(this.troubles.get(rejection.path("press").asString(""))));
			if (this.rejected.count() > before && !initial) {
				log(REFUSAL, this.rejected.explanation());
			}
		}
	}

	/**
	 * Returns why the token was old. Only a process that was paused is unaware that its
	 * lease has ended.
	 */
	private static String reason(@Nullable Trouble trouble) {
		if (trouble == null) {
			return "had lost its lock before the batch was complete";
		}
		return trouble.what() + (PAUSED.equals(trouble.what()) ? ", and did not know that it had lost its lock"
				: " before the batch was complete");
	}

	private void setpointChanged(JsonNode value, boolean initial) {
		if (!initial) {
			log(CHANGE, value.isNumber() ? "The setpoint is " + value.asDouble() + " °C."
					: "The setpoint has been deleted.");
		}
	}

	private void readingChanged(String key, JsonNode reading, boolean first) {
		String press = press(key);
		if (press == null) {
			return;
		}
		boolean elsewhere = !this.properties.presses().contains(press);
		if (reading.isObject()) {
			Deque<Double> latest = this.temperatures.computeIfAbsent(press, (name) -> new ArrayDeque<>());
			latest.addLast(reading.path("temperature").asDouble(0));
			if (latest.size() > MAX_TEMPERATURES) {
				latest.removeFirst();
			}
			if (elsewhere && first) {
				log(CHANGE, press + " has joined the line.");
			}
		}
		else if (elsewhere && this.temperatures.remove(press) != null) {
			log(FAILURE, press + " has left the line.");
		}
	}

	/**
	 * Returns the press name in the key of a reading; {@code null} for any other key.
	 * Names may be invalid, because any client can write keys.
	 */
	private static @Nullable String press(String key) {
		String name = key.startsWith(READING) ? key.substring("line/".length()) : "";
		return PressNames.isValid(name) ? name : null;
	}

	/**
	 * Parses a JSON value. Returns a missing node if the value is absent or malformed.
	 */
	static JsonNode json(@Nullable Bytes value) {
		try {
			return (value != null) ? JsonMapper.shared().readTree(value.toArray()) : MissingNode.getInstance();
		}
		catch (JacksonException ex) {
			return MissingNode.getInstance();
		}
	}

	/**
	 * Called when a button has disrupted a press, which may lose its lock.
	 * @param what what happened, such as "was paused"
	 */
	synchronized void trouble(String kind, String press, String what) {
		this.troubles.put(press, new Trouble(what, Instant.now()));
		log(kind, press + ' ' + what + '.');
	}

	/** Called when a press runs as a new process. */
	synchronized void forgetTrouble(String press) {
		this.troubles.remove(press);
	}

	synchronized void log(String kind, String text) {
		this.log.addFirst(new Event(++this.entries, TIME.format(LocalTime.now()), kind, text));
		if (this.log.size() > MAX_ENTRIES) {
			this.log.removeLast();
		}
		logger.info("{}", text);
	}

	synchronized void available(boolean value) {
		this.available = value;
	}

	/** Returns whether the control room is connected to the store. */
	public synchronized boolean isAvailable() {
		return this.available;
	}

	synchronized Map<String, Bytes> keys() {
		return Map.copyOf(this.keys);
	}

	/** Returns the number of the latest batch and the press that packed it. */
	public synchronized String batch() {
		JsonNode batch = json(this.keys.get(BATCH));
		return batch.isObject()
				? batch.path("number").asLong(0) + " by " + Texts.name(batch.path("leader").asString("")) : "–";
	}

	/** Returns the number of changes to all keys since the start. */
	synchronized long changes() {
		return this.changes;
	}

	/** Returns the setpoint in degrees Celsius; {@code null} if none is set. */
	public synchronized @Nullable Double setpoint() {
		JsonNode value = json(this.keys.get(SETPOINT));
		return value.isNumber() ? value.asDouble() : null;
	}

	synchronized Map<String, JsonNode> readings() {
		Map<String, JsonNode> readings = new TreeMap<>();
		this.keys.keySet().stream().filter((key) -> press(key) != null).limit(MAX_PRESSES).forEach((key) -> {
			JsonNode reading = json(this.keys.get(key));
			if (reading.isObject()) {
				readings.put(key.substring("line/".length()), reading);
			}
		});
		return readings;
	}

	synchronized List<Double> temperatures(String press) {
		return List.copyOf(this.temperatures.getOrDefault(press, new ArrayDeque<>()));
	}

	synchronized Leadership leadership() {
		return this.leadership;
	}

	synchronized Rejected rejected() {
		return this.rejected;
	}

	/** Returns the last entries of the event log, latest first. */
	public synchronized List<Event> log() {
		return List.copyOf(this.log);
	}

	/**
	 * An entry of the event log.
	 *
	 * @param number number of the entry, from 1
	 * @param time time of day
	 * @param kind kind of event, one of the constants of {@link Line}
	 * @param text sentence that describes the event
	 */
	record Event(long number, String time, String kind, String text) {
	}

	/**
	 * What a button has done to a press.
	 *
	 * @param what what happened to the press, such as "was paused"
	 * @param at time when the button was used
	 */
	private record Trouble(String what, Instant at) {

		/**
		 * Returns whether a renewal proves that the press has survived. A renewal may
		 * still be in flight when the trouble begins.
		 */
		private boolean isSurvived(Instant renewal) {
			return renewal.isAfter(this.at.plusSeconds(1));
		}

	}

}
