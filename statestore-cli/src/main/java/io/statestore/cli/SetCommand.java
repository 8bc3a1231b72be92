package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.SetSpec;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore set}: stores a value. */
@Command(name = "set", description = "Stores a value from an argument, a file, or standard input.")
final class SetCommand extends KeyCommand {

	@Parameters(index = "1", arity = "0..1", paramLabel = "<value>",
			description = "Value, or - to read it from standard input (default: -)")
	private @Nullable String text;

	@Option(names = { "-f", "--file" }, paramLabel = "<file>", description = "Read the value from a file")
	private @Nullable Path file;

	@Mixin
	private final ValueArgument value = new ValueArgument();

	@Option(names = { "-e", "--expire" }, paramLabel = "<time>",
			description = "How long until the key expires, such as 30s or 7d (default: never)")
	private @Nullable Duration expiry;

	@Option(names = { "--if-absent", "--nx" }, description = "Store the value only if the key does not exist")
	private boolean ifAbsent;

	@Option(names = { "--if-absent-or-equal", "--nex" },
			description = "Store the value only if the key does not exist or already has this value")
	private boolean ifAbsentOrEqual;

	@Option(names = "--persist", description = "Keep the key across restarts, on servers that keep only such keys")
	private boolean persistent;

	@Mixin
	private final UnderLock underLock = new UnderLock();

	@Override
	void validate() {
		super.validate();
		this.underLock.validate();
		CliException.require(this.text == null || this.file == null,
				"<value> and --file exclude each other; omit one of them");
		CliException.require(!this.ifAbsent || !this.ifAbsentOrEqual,
				"--if-absent and --if-absent-or-equal exclude each other; omit one of them");
	}

	@Override
	int run(Session session, Key key) throws IOException, InterruptedException {
		Bytes value = (this.file != null) ? this.value.decode(Bytes.wrap(Settings.read("--file", this.file)))
				: this.value.read((this.text != null) ? this.text : "-", environment());
		SetResult result = this.underLock.run(session, (operations) -> operations.set(key, value, this::apply));
		print("key applied version time", key, result.applied(), result.version(), Texts.time(result.version()));
		if (!result.applied()) {
			message("Key " + key + (this.ifAbsent ? " exists" : " has another value") + "; nothing was changed");
		}
		return result.applied() ? ExitCodes.OK : ExitCodes.NOT_MET;
	}

	private void apply(SetSpec spec) {
		if (this.expiry != null) {
			spec.expire(this.expiry);
		}
		if (this.ifAbsent) {
			spec.ifAbsent();
		}
		if (this.ifAbsentOrEqual) {
			spec.ifAbsentOrEqual();
		}
		if (this.persistent) {
			spec.persistent();
		}
	}

}
