package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code statestore get}: prints an entry. */
@Command(name = "get", description = "Prints a key's value, its version, and when it was set.")
final class GetCommand extends KeyCommand {

	@Mixin
	private final ShownValue.Show show = new ShownValue.Show();

	@Option(names = { "-f", "--file" }, paramLabel = "<file>",
			description = "Write the value's bytes to a file and print nothing")
	private @Nullable Path file;

	@Override
	int run(Session session, Key key) throws IOException {
		Entry<Bytes> entry = session.template().get(key, Bytes.class).orElse(null);
		if (entry == null) {
			return notMet("Key " + key + " does not exist");
		}
		ShownValue value = this.show.of(entry.value());
		if (this.file != null) {
			Files.write(this.file, entry.value().toArray());
		}
		else if (format() == OutputFormat.RAW && !this.show.isSet()) {
			environment().out().writeBytes(entry.value().toArray());
		}
		else if (format() == OutputFormat.RAW) {
			environment().out().println(value);
		}
		else {
			print("key version time size format value", entry.key(), entry.version(), Texts.time(entry.version()),
					entry.value().length(), value.format(), value);
		}
		return ExitCodes.OK;
	}

}
