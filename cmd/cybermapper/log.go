package main

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// newLogger returns a logger that writes to w: lines for people on a terminal, JSON elsewhere, unless the configuration
// says otherwise.
func newLogger(c config.Log, w io.Writer, terminal bool) *zap.Logger {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic(err) // validate has found it to be good
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	config.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(config)
	if c.Format == "console" || c.Format == "auto" && terminal {
		config.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05")
		encoder = zapcore.NewConsoleEncoder(config)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), level))
}
