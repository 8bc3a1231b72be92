package io.statestore.cli;

import org.jspecify.annotations.Nullable;

/** Colors on a terminal. */
final class Colors {

	/** When to use colors. */
	enum Mode {

		/** On a terminal, unless the environment variable NO_COLOR is set. */
		AUTO,

		/** Always. */
		ALWAYS,

		/** Never. */
		NEVER

	}

	/** Color of a text. */
	enum Color {

		/** For deletions. */
		RED(31),

		/** For values. */
		GREEN(32),

		/** For warnings. */
		YELLOW(33),

		/** For secondary information. */
		GRAY(90);

		private final int code;

		Color(int code) {
			this.code = code;
		}

	}

	private final boolean used;

	private Colors(boolean used) {
		this.used = used;
	}

	/** Returns colors as the mode and the environment require. */
	static Colors of(Mode mode, Environment environment) {
		return new Colors(switch (mode) {
			case ALWAYS -> true;
			case NEVER -> false;
			// See https://no-color.org
			case AUTO -> environment.variable("NO_COLOR") == null && environment.terminal().getAsBoolean();
		});
	}

	/**
	 * Returns a text in a color.
	 * @param color the color, {@code null} for that of the terminal
	 * @param text the text
	 */
	String paint(@Nullable Color color, String text) {
		return (this.used && color != null) ? "\u001B[" + color.code + 'm' + text + "\u001B[0m" : text;
	}

}
