package io.statestore.broker.engine;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Version;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

/**
 * Applies the entries in a file and prints a digest of all answers, changes, SCAN pages,
 * and the state.
 */
final class DigestProgram {

	private final MessageDigest digest;

	private final StateMachine machine = new StateMachine(this::changed);

	private DigestProgram() {
		try {
			this.digest = MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static void main(String[] arguments) throws IOException {
		System.out.println("digest " + digest(Path.of(arguments[0])));
	}

	static String digest(Path file) throws IOException {
		DigestProgram program = new DigestProgram();
		try (DataInputStream input = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
			for (int i = 0; input.available() > 0; i++) {
				byte[] entry = input.readNBytes(input.readInt());
				program.answered(program.machine.apply(LogEntryCodec.decode(ByteBuffer.wrap(entry))));
				if (i % 10_000 == 0) {
					program.addState();
				}
			}
		}
		program.addState();
		return HexFormat.of().withUpperCase().formatHex(program.digest.digest());
	}

	private void addState() {
		this.digest.update(Machines.dump(this.machine));
		Machines.scan(this.machine).forEach(this::replied);
	}

	private void answered(Answer answer) {
		replied(answer.reply());
		add(answer.version());
	}

	private void replied(Reply reply) {
		this.digest.update(Replies.encode(reply, ProtocolDialect.values()[0]));
	}

	private void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		this.digest.update(key.toByteBuffer());
		if (value != null) {
			this.digest.update(value.toByteBuffer());
		}
		add(version);
		add(author);
	}

	private void add(@Nullable Object part) {
		this.digest.update(String.valueOf(part).getBytes(StandardCharsets.UTF_8));
	}

}
