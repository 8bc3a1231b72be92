package io.statestore.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore export}: prints entries for {@code import}. */
@Command(name = "export",
		description = "Prints keys with values and times to live as JSON, one entry per line, for 'import'.")
final class ExportCommand extends StoreCommand {

	@Parameters(arity = "0..1", paramLabel = "<pattern>", defaultValue = "*", converter = Converters.Pattern.class,
			description = "Pattern of the keys, as in scan (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--no-ttl",
			description = "Omit times to live, for servers that do not support TTL. Imported keys never expire")
	private boolean noTtl;

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		Session.forEachBatch(template.scan(this.pattern).iterator(), (keys) -> export(template, keys));
		return ExitCodes.OK;
	}

	private void export(StateStoreTemplate template, List<Key> keys) {
		Map<Key, CompletableFuture<Optional<Duration>>> times = new HashMap<>();
		if (!this.noTtl) {
			keys.forEach((key) -> times.put(key, template.async().timeToLive(key)));
		}
		// Before the values: a key that expires in the meantime is omitted, not exported
		// without an expiry.
		times.values().forEach(Session::await);
		template.getAll(keys, Bytes.class).values().forEach((entry) -> {
			CompletableFuture<Optional<Duration>> time = times.get(entry.key());
			Duration timeToLive = (time != null) ? Session.await(time).orElse(null) : null;
			environment().out().println(new EntryLine(entry.key(), entry.value(), timeToLive, 0).toJson());
		});
		RecordWriter.requireAccepted(environment().out());
	}

}
