package io.statestore.cli;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option that selects the format of values. */
final class ShowOption {

	@Option(names = "--show", paramLabel = "<format>",
			description = "Show values as text, json, or hex (default: based on their content)")
	private @Nullable ValueFormat format;

	boolean isSet() {
		return this.format != null;
	}

	/** Returns a value in the format of this option. */
	ShownValue of(Bytes value) {
		return ShownValue.of(value, this.format);
	}

}
