package io.statestore.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore export}: prints entries for {@code import}. */
@Command(name = "export",
		description = "Prints keys with their values and times to live as JSON, one entry per line, for 'import'.")
final class ExportCommand extends StoreCommand {

	/** The maximum number of times that a key is read if it keeps changing. */
	private static final int MAX_READS = 20;

	@Parameters(arity = "0..1", paramLabel = "<pattern>", defaultValue = "*", converter = Converters.Pattern.class,
			description = "Key pattern, as in scan (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--no-ttl",
			description = "Omit times to live, for servers that do not support TTL. The imported keys then never "
					+ "expire")
	private boolean noTtl;

	private long omitted;

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		Session.forEachBatch(template.scan(this.pattern).iterator(), (keys) -> export(template, keys));
		return (this.omitted == 0) ? ExitCodes.OK : notMet("Keys that change too often were not exported: "
				+ this.omitted + ". Repeat the command, or use --no-ttl");
	}

	private void export(StateStoreTemplate template, List<Key> keys) {
		Map<Key, Entry<Bytes>> entries = template.getAll(keys, Bytes.class);
		if (this.noTtl) {
			entries.values().forEach((entry) -> print(entry, null));
		}
		else {
			for (int i = 0; i < MAX_READS && !entries.isEmpty(); i++) {
				entries = exportUnchanged(template, entries);
			}
			this.omitted += entries.size();
		}
		RecordWriter.requireAccepted(environment().out());
	}

	/**
	 * Prints the entries that do not change while their times to live are read: a time to
	 * live is only valid if the version is the same before and after. Returns the changed
	 * entries, without deleted keys.
	 */
	private Map<Key, Entry<Bytes>> exportUnchanged(StateStoreTemplate template, Map<Key, Entry<Bytes>> before) {
		Map<Key, CompletableFuture<Optional<Duration>>> times = new HashMap<>();
		before.keySet().forEach((key) -> times.put(key, template.async().timeToLive(key)));
		times.values().forEach(Session::await);
		Map<Key, Entry<Bytes>> after = template.getAll(before.keySet(), Bytes.class);
		Map<Key, Entry<Bytes>> changed = new HashMap<>();
		times.forEach((key, time) -> {
			Entry<Bytes> entry = after.get(key);
			if (entry != null && entry.equals(before.get(key))) {
				print(entry, Session.await(time).orElse(null));
			}
			else if (entry != null) {
				changed.put(key, entry);
			}
		});
		return changed;
	}

	private void print(Entry<Bytes> entry, @Nullable Duration timeToLive) {
		environment().out().println(new EntryLine(entry.key(), entry.value(), timeToLive, 0).toJson());
	}

}
