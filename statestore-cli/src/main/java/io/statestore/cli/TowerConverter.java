package io.statestore.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.TowerAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for the address of a Dafka tower: {@code host[:port[:pub-port]]}. */
final class TowerConverter implements ITypeConverter<TowerAddress> {

	private static final Pattern TOWER = Pattern.compile("([^:\\s]+)(?::(\\d{1,5})(?::(\\d{1,5}))?)?");

	@Override
	public TowerAddress convert(String value) {
		Matcher tower = TOWER.matcher(value);
		try {
			if (tower.matches()) {
				int port = port(tower.group(2), TowerAddress.DEFAULT_IN_PORT);
				return new TowerAddress(tower.group(1), port, port(tower.group(3), port + 1));
			}
		}
		catch (IllegalArgumentException ex) {
			// The same message
		}
		throw new TypeConversionException("'" + value + "' is not a tower; use host, host:port, or host:port:pub-port");
	}

	private static int port(@Nullable String text, int defaultPort) {
		return (text != null) ? Integer.parseInt(text) : defaultPort;
	}

}
