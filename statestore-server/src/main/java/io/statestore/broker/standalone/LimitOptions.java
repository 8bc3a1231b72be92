package io.statestore.broker.standalone;

import java.util.function.BiFunction;

import io.statestore.broker.memory.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for limits. The broker and the gateway share them. */
final class LimitOptions {

	@Option(names = "--max-keys", paramLabel = "<number>",
			description = "Maximum number of keys (default: one for each 2 KiB of the maximum heap)")
	private @Nullable Long maxKeys;

	@Option(names = "--max-size", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum total size of the keys and values, in bytes or with a unit such as 64K, 64M, or 1G "
					+ "(default: a quarter of the maximum heap)")
	private @Nullable Long maxSize;

	@Option(names = "--reply-memory", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum memory for replies that are remembered in case requests are repeated (default: a "
					+ "sixteenth of the maximum heap)")
	private @Nullable Long replyMemory;

	@Option(names = "--client-memory", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum total memory of all clients (default: a quarter of the maximum heap)")
	private @Nullable Long clientMemory;

	@Option(names = "--memory-per-client", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum memory of one client (default: a quarter of --client-memory)")
	private @Nullable Long memoryPerClient;

	/** Returns the given limits, changed by the options that are set. */
	Limits apply(Limits limits) {
		Limits result = with(limits, this.maxKeys, Limits::withMaxKeys);
		result = with(result, this.maxSize, Limits::withMaxSize);
		result = with(result, this.replyMemory, Limits::withReplyMemory);
		result = with(result, this.clientMemory, Limits::withClientMemory);
		return with(result, this.memoryPerClient, Limits::withMemoryPerClient);
	}

	/** Returns the given options, changed by a value if it is set. */
	static <T, V> T with(T options, @Nullable V value, BiFunction<T, V, T> option) {
		return (value != null) ? option.apply(options, value) : options;
	}

}
