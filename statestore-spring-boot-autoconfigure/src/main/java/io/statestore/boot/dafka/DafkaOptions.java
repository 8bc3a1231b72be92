package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.util.function.Supplier;

import io.statestore.boot.internal.DirectoryProperties;
import io.statestore.boot.internal.OptionProperties;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/** Creates options of Dafka and reports invalid ones by their property. */
final class DafkaOptions {

	private DafkaOptions() {
	}

	/**
	 * Creates options.
	 * @param <T> type of the options
	 * @param prefix prefix of the properties of these options
	 * @param options creates the options
	 * @return the options
	 * @throws InvalidConfigurationPropertyValueException if an option is invalid
	 */
	static <T> T create(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			throw OptionProperties.invalid(prefix, ex.option(), ex.value(), ex.reason());
		}
	}

	/**
	 * Returns the keys for encryption and authentication.
	 * @param properties the properties
	 * @return the keys, or {@code null} without encryption
	 * @throws InvalidConfigurationPropertyValueException if a property or file is invalid
	 */
	static @Nullable CurveOptions curve(DafkaProperties properties) {
		DafkaProperties.Curve curve = properties.curve();
		if (curve.keyFile() == null && curve.peersFile() == null) {
			return null;
		}
		Path keyFile = file("dafka.curve.key-file", curve.keyFile());
		requireBouncyCastle(keyFile);
		Path peersFile = file("dafka.curve.peers-file", curve.peersFile());
		return create("dafka.", () -> new CurveOptions(keyFile, peersFile, curve.towers()));
	}

	private static void requireBouncyCastle(Path keyFile) {
		if (!ClassUtils.isPresent("org.bouncycastle.crypto.engines.XSalsa20Engine", null)) {
			throw new InvalidConfigurationPropertyValueException("dafka.curve.key-file", keyFile,
					"It requires Bouncy Castle, which is not on the class path. Add the dependency "
							+ "org.bouncycastle:bcprov-jdk18on, or remove the properties dafka.curve to use no "
							+ "encryption.");
		}
	}

	private static Path file(String property, @Nullable String file) {
		if (file == null || file.isBlank()) {
			throw new InvalidConfigurationPropertyValueException(property, file,
					"It must be set if the other file of dafka.curve is set. The command 'dafka keys' creates both.");
		}
		return DirectoryProperties.file(property, file, "Remove the properties dafka.curve to use no encryption");
	}

}
