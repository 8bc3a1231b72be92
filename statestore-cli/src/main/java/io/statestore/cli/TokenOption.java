package io.statestore.cli;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Option with the fencing token of a lock that the caller holds. */
final class TokenOption {

	@Option(names = "--token", paramLabel = "<version>", converter = Converter.class,
			description = "Fencing token: the version of the acquired lock")
	private @Nullable FencingToken token;

	/** Returns whether there is a token. */
	boolean isSet() {
		return this.token != null;
	}

	/** Returns operations with the token, if there is one. */
	StateStoreOperations apply(StateStoreOperations operations) {
		return (this.token != null) ? operations.fencedBy(this.token) : operations;
	}

	/** Converter of a version. */
	static final class Converter implements ITypeConverter<FencingToken> {

		@Override
		public FencingToken convert(String value) {
			try {
				return new FencingToken(Version.parse(value));
			}
			catch (ProtocolException ex) {
				throw new TypeConversionException(
						"'" + value + "' is not a version; use the token of the lock, such as 1795404199868:0:node");
			}
		}

	}

}
