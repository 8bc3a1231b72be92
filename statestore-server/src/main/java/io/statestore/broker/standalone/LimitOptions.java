package io.statestore.broker.standalone;

import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for limits that the broker and the gateway share. */
final class LimitOptions {

	@Option(names = "--max-keys", paramLabel = "<number>",
			description = "Maximum number of keys (default: one for each 2 KiB of the maximum heap)")
	private @Nullable Long maxKeys;

	@Option(names = "--max-bytes", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum size of all keys and values, in bytes or with a unit such as 64K, 64M, or 1G "
					+ "(default: a quarter of the maximum heap)")
	private @Nullable Long maxBytes;

	@Option(names = "--reply-memory", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum memory of replies remembered for repeated requests "
					+ "(default: a sixteenth of the maximum heap)")
	private @Nullable Long replyMemory;

	@Option(names = "--client-memory", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum memory of all clients together (default: a quarter of the maximum heap)")
	private @Nullable Long clientMemory;

	@Option(names = "--memory-per-client", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum memory of one client (default: a quarter of --client-memory)")
	private @Nullable Long memoryPerClient;

	/**
	 * Passes options that are set to the methods of a builder.
	 * @param maxKeys receives {@code --max-keys}
	 * @param maxBytes receives {@code --max-bytes}
	 * @param replyMemory receives {@code --reply-memory}
	 * @param clientMemory receives {@code --client-memory}
	 * @param memoryPerClient receives {@code --memory-per-client}
	 */
	void apply(LongFunction<?> maxKeys, LongFunction<?> maxBytes, LongFunction<?> replyMemory,
			LongFunction<?> clientMemory, LongFunction<?> memoryPerClient) {
		apply(this.maxKeys, maxKeys);
		apply(this.maxBytes, maxBytes);
		apply(this.replyMemory, replyMemory);
		apply(this.clientMemory, clientMemory);
		apply(this.memoryPerClient, memoryPerClient);
	}

	/** Passes an option to a method of a builder if it is set. */
	static void apply(@Nullable Long value, LongFunction<?> option) {
		if (value != null) {
			option.apply(value);
		}
	}

}
