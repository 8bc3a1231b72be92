package io.statestore.test;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/**
 * Screenshots of pages, in {@code target/screenshots}. If the {@code sample.screenshots}
 * property is set to a directory relative to the repository root, screenshots for the
 * documentation are also written there.
 */
public final class Screenshots {

	private static final Path TARGET = Path.of("target", "screenshots");

	/** Names of screenshots for the documentation. */
	private static final Pattern DOCUMENTED = Pattern.compile("(control-room|console).*");

	private Screenshots() {
	}

	/**
	 * Returns whether screenshots for the documentation are written.
	 * @return whether the property is set
	 */
	public static boolean areForDocumentation() {
		return System.getProperty("sample.screenshots") != null;
	}

	static void write(String name, byte[] png) {
		try {
			Files.createDirectories(TARGET);
			Files.write(TARGET.resolve(name + ".png"), png);
			String documentation = System.getProperty("sample.screenshots");
			if (documentation != null && DOCUMENTED.matcher(name).matches()) {
				Path directory = Path.of("..").resolve(documentation);
				Files.createDirectories(directory);
				Files.write(directory.resolve(name + ".png"), compress(png));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Compresses a screenshot again, because Chromium compresses fast, not well. */
	private static byte[] compress(byte[] png) throws IOException {
		ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
		ByteArrayOutputStream compressed = new ByteArrayOutputStream();
		try (ImageOutputStream output = ImageIO.createImageOutputStream(compressed)) {
			writer.setOutput(output);
			ImageWriteParam parameters = writer.getDefaultWriteParam();
			parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
			parameters.setCompressionQuality(0);
			BufferedImage picture = ImageIO.read(new ByteArrayInputStream(png));
			writer.write(null, new IIOImage(picture, null, null), parameters);
		}
		finally {
			writer.dispose();
		}
		return (compressed.size() < png.length) ? compressed.toByteArray() : png;
	}

}
