package io.statestore.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code statestore get}: prints an entry. */
@Command(name = "get", description = "Prints the value of a key, and when it was set.")
final class GetCommand extends StoreCommand {

	@Mixin
	private final KeyArgument key = new KeyArgument();

	@Option(names = "--show", paramLabel = "<format>",
			description = "Show the value as text, json, or hex (default: based on its content)")
	private @Nullable ValueFormat show;

	@Option(names = { "-f", "--file" }, paramLabel = "<file>",
			description = "Write the bytes of the value to a file, and print nothing")
	private @Nullable Path file;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	void validate() {
		this.key.key();
	}

	@Override
	int run(Session session) throws IOException {
		Key key = this.key.key();
		Entry<Bytes> entry = session.template().get(key, Bytes.class).orElse(null);
		if (entry == null) {
			message("Key " + key + " does not exist");
			return ExitCodes.NOT_MET;
		}
		if (this.file != null) {
			Files.write(this.file, entry.value().toArray());
		}
		else if (this.output.format() == OutputFormat.RAW && this.show == null) {
			OutputStream out = environment().out();
			out.write(entry.value().toArray());
		}
		else {
			print(entry);
		}
		return ExitCodes.OK;
	}

	private void print(Entry<Bytes> entry) {
		ShownValue value = ShownValue.of(entry.value(), this.show);
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		if (this.output.format() != OutputFormat.RAW) {
			fields.put("key", entry.key());
			fields.put("version", entry.version());
			fields.put("time", Versions.time(entry.version()));
			fields.put("size", entry.value().length());
			fields.put("format", value.format().name().toLowerCase(Locale.ROOT));
		}
		fields.put("value", value);
		this.output.print(fields);
	}

}
