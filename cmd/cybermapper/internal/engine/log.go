package engine

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

// NewLogger returns a logger that writes to s, what all lines there are: text, or JSON. When quiet, only what somebody should look
// at is logged.
func NewLogger(c config.Log, s *progress.Screen, quiet bool) *zap.Logger {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic(err) // validate has found it to be good
	}
	if quiet {
		level = max(level, zapcore.WarnLevel)
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	config.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(config)
	if !s.IsJSON() {
		if s.IsTerminal() && !s.HasFile() {
			config.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05")
		}
		encoder = zapcore.NewConsoleEncoder(config)
	}
	unwritable := zap.ErrorOutput(zapcore.AddSync(io.Discard)) // by default stderr, which s has tried
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(s.Records()), level), unwritable)
}
