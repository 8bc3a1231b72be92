package io.statestore.protocol;

import java.time.Duration;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

import io.statestore.protocol.Command.Condition;

/** Generators of random commands, replies, notifications, and versions. */
final class Generators {

	private Generators() {
	}

	/** Includes slices of larger arrays and bytes that have a meaning in RESP. */
	static Arbitrary<Bytes> bytes() {
		Arbitrary<Byte> one = Arbitraries.oneOf(Arbitraries.bytes(),
				Arbitraries.of((byte) '\r', (byte) '\n', (byte) '$', (byte) '*', (byte) 0, (byte) '1'));
		Arbitrary<byte[]> array = one.array(byte[].class).ofMaxSize(40);
		Arbitrary<Bytes> parts = Combinators.combine(array, Arbitraries.integers().between(0, 3)).as(Generators::part);
		return Arbitraries.oneOf(parts.withoutEdgeCases(), Arbitraries.of(Bytes.EMPTY, Bytes.of("\r\n")));
	}

	private static Bytes part(byte[] content, int offset) {
		byte[] larger = new byte[offset + content.length + offset];
		System.arraycopy(content, 0, larger, offset, content.length);
		return Bytes.wrap(larger).slice(offset, offset + content.length);
	}

	static Arbitrary<Bytes> keys() {
		return bytes().filter((bytes) -> !bytes.isEmpty());
	}

	static Arbitrary<Command> commands() {
		Arbitrary<Duration> expiries = Arbitraries.longs()
			.between(1, Long.MAX_VALUE)
			.map(Duration::ofMillis)
			.injectNull(0.3);
		Arbitrary<Condition> conditions = Arbitraries.of(Condition.class)
			.filter((condition) -> condition != Condition.IF_VERSION);
		Arbitrary<Command> set = Combinators.combine(keys(), bytes(), conditions, expiries).as(Command.Set::new);
		Arbitrary<Command> replace = Combinators.combine(keys(), bytes(), expiries, versions())
			.as((key, value, expiry, version) -> new Command.Set(key, value, Condition.IF_VERSION, expiry,
					Bytes.of(version.toString())));
		Arbitrary<Command> increment = Combinators.combine(keys(), Arbitraries.longs(), expiries)
			.as(Command.Increment::new);
		return Arbitraries.oneOf(set, replace, increment, keys().map(Command.Get::new), keys().map(Command.Ttl::new),
				keys().map(Command.Del::new), Combinators.combine(keys(), bytes()).as(Command.VDel::new),
				keys().map(Command.KeyNotify::new), keys().map(Command.KeyNotifyStop::new),
				Combinators.combine(bytes(), bytes().injectNull(0.3)).as(Command.Scan::new));
	}

	static Arbitrary<Reply> replies() {
		return Arbitraries.oneOf(Arbitraries.of(new Reply.Ok(), new Reply.Missing()), bytes().map(Reply.Value::new),
				Arbitraries.longs().map(Reply.Count::new), errors(), pages());
	}

	private static Arbitrary<Reply> errors() {
		Arbitrary<String> texts = Arbitraries.strings()
			.ofMaxLength(30)
			.filter((text) -> Bytes.of(text).toUtf8().equals(text) && text.indexOf('\r') < 0 && text.indexOf('\n') < 0);
		return Arbitraries.oneOf(Arbitraries.of(ErrorReason.class).map(Reply.Error::new),
				texts.map((text) -> new Reply.Error(ErrorReason.of(text), text)));
	}

	static Arbitrary<Reply> pages() {
		return Combinators.combine(keys().list().ofMaxSize(12), bytes().injectNull(0.3)).as(Reply.Page::new);
	}

	static Arbitrary<Notification> notifications() {
		return Arbitraries.oneOf(bytes().map(Notification.Set::new), Arbitraries.just(new Notification.Delete()));
	}

	static Arbitrary<Version> versions() {
		Arbitrary<String> nodes = Arbitraries.strings()
			.excludeChars(':')
			.ofMinLength(1)
			.ofMaxLength(8)
			.withoutEdgeCases();
		return Combinators.combine(
				Arbitraries.oneOf(Arbitraries.longs().between(0, 999_999_999_999_999L),
						Arbitraries.longs().between(0, 2)),
				Arbitraries.oneOf(Arbitraries.integers().between(0, Integer.MAX_VALUE),
						Arbitraries.integers().between(0, 2)),
				nodes)
			.as(Version::new);
	}

}
