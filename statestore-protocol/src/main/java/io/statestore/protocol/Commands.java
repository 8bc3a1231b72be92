package io.statestore.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.statestore.protocol.Command.Condition;

/** Encodes and decodes commands (protocol section 2). */
public final class Commands {

	private static final Bytes SET = RespReader.ascii("SET");

	private static final Bytes GET = RespReader.ascii("GET");

	private static final Bytes DEL = RespReader.ascii("DEL");

	private static final Bytes VDEL = RespReader.ascii("VDEL");

	private static final Bytes KEYNOTIFY = RespReader.ascii("KEYNOTIFY");

	private static final Bytes PNOTIFY = RespReader.ascii("PNOTIFY");

	private static final Bytes STOP = RespReader.ascii("STOP");

	private static final Bytes REPLACE = RespReader.ascii("REPLACE");

	private static final Bytes INCRBY = RespReader.ascii("INCRBY");

	private static final Bytes TTL = RespReader.ascii("TTL");

	private static final Bytes SCAN = RespReader.ascii("SCAN");

	private static final Bytes NX = RespReader.ascii("NX");

	private static final Bytes NEX = RespReader.ascii("NEX");

	private static final Bytes PX = RespReader.ascii("PX");

	/** Number of elements in an INCRBY with an expiry. */
	private static final int MAX_INCRBY = 5;

	/** Number of elements in a SET with all options. */
	private static final int MAX_SET = 6;

	/**
	 * Number of elements in a SET whose NEX has a value. Any more elements are counted
	 * but not kept.
	 */
	private static final int MAX_ELEMENTS = MAX_SET + 1;

	private static final Duration MAX_EXPIRY = Duration.ofMillis(Long.MAX_VALUE);

	private Commands() {
	}

	/**
	 * Returns the verb of a command.
	 * @param command any command
	 * @return the verb, such as {@code SET}
	 */
	public static String verb(Command command) {
		if (command instanceof Command.Set set) {
			return (set.condition() == Condition.IF_VERSION) ? "REPLACE" : "SET";
		}
		if (command instanceof Command.Increment) {
			return "INCRBY";
		}
		if (command instanceof Command.Get) {
			return "GET";
		}
		if (command instanceof Command.Del) {
			return "DEL";
		}
		if (command instanceof Command.VDel) {
			return "VDEL";
		}
		if (command instanceof Command.Ttl) {
			return "TTL";
		}
		if (command instanceof Command.PatternNotify || command instanceof Command.PatternNotifyStop) {
			return "PNOTIFY";
		}
		return (command instanceof Command.Scan) ? "SCAN" : "KEYNOTIFY";
	}

	/**
	 * Encodes a command as the payload of a request.
	 * @param command the command to encode
	 * @return the request's payload
	 */
	public static byte[] encode(Command command) {
		if (command instanceof Command.Set set) {
			return encodeSet(set);
		}
		if (command instanceof Command.Increment increment) {
			Bytes delta = number(increment.delta());
			return (increment.expiry() == null) ? RespWriter.array(INCRBY, increment.key(), delta)
					: RespWriter.array(INCRBY, increment.key(), delta, PX, number(toMillis(increment.expiry())));
		}
		if (command instanceof Command.Get get) {
			return RespWriter.array(GET, get.key());
		}
		if (command instanceof Command.Ttl ttl) {
			return RespWriter.array(TTL, ttl.key());
		}
		if (command instanceof Command.Del del) {
			return RespWriter.array(DEL, del.key());
		}
		if (command instanceof Command.VDel vdel) {
			return RespWriter.array(VDEL, vdel.key(), vdel.value());
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			return RespWriter.array(KEYNOTIFY, keyNotify.key());
		}
		if (command instanceof Command.KeyNotifyStop keyNotifyStop) {
			return RespWriter.array(KEYNOTIFY, keyNotifyStop.key(), STOP);
		}
		if (command instanceof Command.PatternNotify patternNotify) {
			return RespWriter.array(PNOTIFY, patternNotify.pattern());
		}
		if (command instanceof Command.PatternNotifyStop patternNotifyStop) {
			return RespWriter.array(PNOTIFY, patternNotifyStop.pattern(), STOP);
		}
		Command.Scan scan = (Command.Scan) command;
		return (scan.token() == null) ? RespWriter.array(SCAN, scan.pattern())
				: RespWriter.array(SCAN, scan.pattern(), scan.token());
	}

	private static byte[] encodeSet(Command.Set set) {
		List<Bytes> elements = new ArrayList<>(MAX_ELEMENTS);
		elements.add((set.condition() == Condition.IF_VERSION) ? REPLACE : SET);
		elements.add(set.key());
		elements.add(set.value());
		switch (set.condition()) {
			case IF_VERSION -> elements.add(Objects.requireNonNull(set.expected()));
			case IF_ABSENT -> elements.add(NX);
			case IF_ABSENT_OR_EQUAL -> {
				elements.add(NEX);
				if (set.expected() != null) {
					elements.add(set.expected());
				}
			}
			case ALWAYS -> {
			}
		}
		if (set.expiry() != null) {
			elements.add(PX);
			elements.add(number(toMillis(set.expiry())));
		}
		return RespWriter.array(elements.toArray(Bytes[]::new));
	}

	private static Bytes number(long number) {
		return RespReader.ascii(Long.toString(number));
	}

	/** Rounds up, so that a key never expires earlier than requested. */
	private static long toMillis(Duration expiry) {
		if (expiry.compareTo(MAX_EXPIRY) >= 0) {
			return MAX_EXPIRY.toMillis();
		}
		long millis = expiry.toMillis();
		return expiry.equals(Duration.ofMillis(millis)) ? millis : millis + 1;
	}

	/**
	 * Decodes a request payload in the dialect of deployed clients.
	 * @param payload the payload of a request
	 * @return the command
	 * @throws ProtocolException if the payload is not a valid command
	 * @see #decode(Bytes, ProtocolDialect)
	 */
	public static Command decode(Bytes payload) {
		return decode(payload, ProtocolDialect.CLIENTS);
	}

	/**
	 * Decodes a request payload. Checks run in this order: framing, verb, number of
	 * arguments, key length, options (protocol section 10). Keys and values are slices of
	 * the payload, see {@link Bytes#compact()}.
	 * @param payload the payload of a request
	 * @param form the server's protocol dialect. The articles' dialect also accepts
	 * commands as written in the articles (protocol section 9)
	 * @return the command
	 * @throws ProtocolException if the payload is not a valid command. The exception
	 * contains the reason for the error reply
	 */
	public static Command decode(Bytes payload, ProtocolDialect form) {
		RespReader reader = new RespReader(payload);
		int count = reader.readBulkArrayHeader();
		if (count == 0) {
			throw RespReader.syntaxError();
		}
		List<Bytes> elements = new ArrayList<>(MAX_ELEMENTS);
		for (int i = 0; i < count; i++) {
			if (i < MAX_ELEMENTS) {
				elements.add(reader.readBulk());
			}
			else {
				reader.skipBulk();
			}
		}
		reader.readEnd();
		return toCommand(elements, count, form == ProtocolDialect.SPECIFICATION);
	}

	/**
	 * Returns whether a payload starts like KEYNOTIFY in either protocol dialect, even if
	 * the rest is invalid.
	 */
	static boolean isKeyNotify(Bytes payload) {
		try {
			RespReader reader = new RespReader(payload);
			return reader.readArrayHeader() > 0 && toUppercase(reader.readBulk()).equals(KEYNOTIFY);
		}
		catch (ProtocolException ex) {
			return false;
		}
	}

	private static Command toCommand(List<Bytes> elements, int count, boolean articles) {
		Bytes verb = articles ? toUppercase(elements.get(0)) : elements.get(0);
		if (verb.equals(SET)) {
			Bytes expected = articles ? removeExpected(elements) : null;
			requireCount((expected != null) ? count - 1 : count, 3, MAX_SET);
			return toSet(key(elements), elements.get(2), expected, elements);
		}
		if (verb.equals(GET)) {
			requireCount(count, 2, 2);
			return new Command.Get(key(elements));
		}
		if (verb.equals(DEL)) {
			requireCount(count, 2, 2);
			return new Command.Del(key(elements));
		}
		if (verb.equals(VDEL)) {
			requireCount(count, 3, 3);
			return new Command.VDel(key(elements), elements.get(2));
		}
		if (verb.equals(KEYNOTIFY)) {
			requireCount(count, 2, 3);
			Bytes key = key(elements);
			if (count == 2 || (articles && elements.get(2).equals(GET))) {
				return new Command.KeyNotify(key);
			}
			if (!elements.get(2).equals(STOP)) {
				throw RespReader.syntaxError();
			}
			return new Command.KeyNotifyStop(key);
		}
		if (verb.equals(REPLACE)) {
			requireCount(count, 4, MAX_SET);
			return toReplace(key(elements), elements);
		}
		if (verb.equals(INCRBY)) {
			requireCount(count, 3, (count == 4) ? 3 : MAX_INCRBY);
			if (count == MAX_INCRBY && !elements.get(3).equals(PX)) {
				throw RespReader.syntaxError();
			}
			return new Command.Increment(key(elements), RespReader.number(elements.get(2)),
					(count == MAX_INCRBY) ? toExpiry(elements.get(4)) : null);
		}
		if (verb.equals(PNOTIFY)) {
			requireCount(count, 2, 3);
			if (count == 2) {
				return new Command.PatternNotify(elements.get(1));
			}
			if (!elements.get(2).equals(STOP)) {
				throw RespReader.syntaxError();
			}
			return new Command.PatternNotifyStop(elements.get(1));
		}
		if (verb.equals(TTL)) {
			requireCount(count, 2, 2);
			return new Command.Ttl(key(elements));
		}
		if (verb.equals(SCAN)) {
			requireCount(count, 2, 3);
			return new Command.Scan(elements.get(1), (count == 3) ? elements.get(2) : null);
		}
		throw new ProtocolException(ErrorReason.UNKNOWN_COMMAND);
	}

	/** Returns a verb in uppercase if it consists only of lowercase letters. */
	private static Bytes toUppercase(Bytes verb) {
		if (verb.length() > KEYNOTIFY.length()) {
			return verb;
		}
		byte[] letters = verb.toArray();
		for (int i = 0; i < letters.length; i++) {
			if (letters[i] < 'a' || letters[i] > 'z') {
				return verb;
			}
			letters[i] -= 'a' - 'A';
		}
		return Bytes.wrap(letters);
	}

	/**
	 * Removes NEX's value from the elements of a SET and returns it. NEX does not have a
	 * value if it is followed by nothing, or only by {@code PX} and a number.
	 */
	private static @Nullable Bytes removeExpected(List<Bytes> elements) {
		for (int i = 3; i < elements.size(); i++) {
			if (elements.get(i).equals(NEX)) {
				int following = elements.size() - i - 1;
				boolean withoutValue = following == 0 || (following == 2 && elements.get(i + 1).equals(PX));
				return withoutValue ? null : elements.remove(i + 1);
			}
		}
		return null;
	}

	private static Command toSet(Bytes key, Bytes value, @Nullable Bytes expected, List<Bytes> elements) {
		Condition condition = Condition.ALWAYS;
		Duration expiry = null;
		for (int i = 3; i < elements.size(); i++) {
			Bytes option = elements.get(i);
			if (option.equals(PX) && expiry == null) {
				requireCount(elements.size(), i + 2, MAX_SET);
				expiry = toExpiry(elements.get(++i));
			}
			else if (condition == Condition.ALWAYS) {
				condition = toCondition(option);
			}
			else {
				throw RespReader.syntaxError();
			}
		}
		return new Command.Set(key, value, condition, expiry, expected);
	}

	private static Command toReplace(Bytes key, List<Bytes> elements) {
		Bytes version = elements.get(3);
		Version.parse(version.toUtf8());
		List<Bytes> options = new ArrayList<>(elements);
		options.remove(3);
		Command.Set set = (Command.Set) toSet(key, elements.get(2), null, options);
		if (set.condition() != Condition.ALWAYS) {
			throw RespReader.syntaxError();
		}
		return new Command.Set(key, set.value(), Condition.IF_VERSION, set.expiry(), version);
	}

	private static Condition toCondition(Bytes option) {
		if (option.equals(NX)) {
			return Condition.IF_ABSENT;
		}
		if (option.equals(NEX)) {
			return Condition.IF_ABSENT_OR_EQUAL;
		}
		throw RespReader.syntaxError();
	}

	private static Duration toExpiry(Bytes digits) {
		long millis = RespReader.number(digits);
		if (millis < 1) {
			throw RespReader.syntaxError();
		}
		return Duration.ofMillis(millis);
	}

	private static Bytes key(List<Bytes> elements) {
		Bytes key = elements.get(1);
		if (key.isEmpty()) {
			throw new ProtocolException(ErrorReason.KEY_LENGTH_ZERO);
		}
		return key;
	}

	private static void requireCount(int count, int min, int max) {
		if (count < min || count > max) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
	}

}
